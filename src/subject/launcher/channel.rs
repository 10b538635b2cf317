//! One side of the connection between the program and a launcher.
//!
//! A message is a frame: a length of four bytes, and as many bytes. These begin with a secret that only the two
//! sides know: a program under test that got hold of the socket could not speak for one of them. What follows is the
//! message in the form of postcard, which takes bytes as they are. What does not keep to this, or is longer than
//! expected, is an error, and nothing is believed.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What both sides put into each message.
pub type Secret = [u8; 16];
/// The secret before there is one.
const NO_SECRET: Secret = [0; 16];
/// The length of what precedes the content of a message.
const HEAD: usize = 4 + size_of::<Secret>();
/// The most memory that is kept between messages.
const MOST_KEPT: usize = 1 << 20;

/// The longest content that is accepted of the program, which says what the user gave it.
pub const MOST: usize = 1 << 30;
/// The longest content that is accepted of a launcher which has nothing to report but a reason.
pub const MOST_REASON: usize = 1 << 16;

/// One side of a connection.
#[derive(Debug)]
pub struct Channel {
    socket: UnixStream,
    secret: Secret,
    buffer: Vec<u8>,
}

impl Channel {
    /// A side of the connection, before any secret is agreed.
    pub fn new(socket: UnixStream) -> Self {
        Self { socket, secret: NO_SECRET, buffer: Vec::new() }
    }

    /// From now on, messages carry this secret.
    pub fn agree(&mut self, secret: Secret) {
        self.secret = secret;
    }

    /// The socket.
    pub fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// Sends a message, in one go where the system lets it.
    ///
    /// # Errors
    /// When the other side is gone.
    pub fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        let frame = frame(message, &self.secret)?;
        (&self.socket).write_all(&frame)
    }

    /// Receives a message, whose content is of `most` bytes at most; `None` when the other side has closed the
    /// connection.
    ///
    /// # Errors
    /// When it breaks in the middle of a message, or what comes is no such message.
    pub fn receive<M: DeserializeOwned>(&mut self, most: usize) -> io::Result<Option<M>> {
        let message = receive(&self.socket, &mut self.buffer, &self.secret, most);
        self.buffer.truncate(MOST_KEPT);
        message
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A message as it is sent.
fn frame(message: &impl Serialize, secret: &Secret) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    bytes.extend_from_slice(secret);
    let mut bytes = postcard::to_extend(message, bytes)
        .map_err(|error| io::Error::new(ErrorKind::InvalidInput, error.to_string()))?;
    if bytes.len() - HEAD > MOST {
        return Err(io::Error::new(ErrorKind::InvalidInput, "a message of more than 1 GiB"));
    }
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

fn receive<M: DeserializeOwned>(
    mut stream: impl Read,
    buffer: &mut Vec<u8>,
    secret: &Secret,
    most: usize,
) -> io::Result<Option<M>> {
    // One read fetches a small message whole: there is never more than one under way.
    buffer.resize(buffer.len().max(1 << 16), 0);
    let mut filled = 0;
    let mut wanted = HEAD;
    while filled < wanted {
        let count = match stream.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            other => other?,
        };
        match count {
            0 if filled == 0 => return Ok(None),
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            _ => filled += count,
        }
        if filled >= HEAD {
            if buffer[4..HEAD] != secret[..] {
                return Err(unknown("a message of a stranger"));
            }
            let length = u32::from_le_bytes([buffer[0], buffer[1], buffer[2], buffer[3]]) as usize;
            if length + 4 < HEAD || length + 4 - HEAD > most {
                return Err(unknown(&format!("a message of {length} bytes, more than {most} or none")));
            }
            wanted = length + 4;
            if buffer.len() < wanted {
                buffer.resize(wanted, 0);
            }
        }
    }
    if filled > wanted {
        return Err(unknown("more than one message at once"));
    }
    read(&buffer[HEAD..wanted]).map(Some)
}

/// The message that a content is, all of it.
pub(super) fn read<M: DeserializeOwned>(content: &[u8]) -> io::Result<M> {
    match postcard::take_from_bytes(content) {
        Ok((message, [])) => Ok(message),
        Ok(_) => Err(unknown("a message that goes on behind its end")),
        Err(error) => Err(unknown(&format!("no such message: {error}"))),
    }
}

fn unknown(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

/// Sends a message and receives it again, for the tests of messages.
#[cfg(test)]
pub(super) fn round_trip<M: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(message: &M) {
    let secret = [7; 16];
    let bytes = frame(message, &secret).unwrap();
    let mut buffer = Vec::new();
    let mut get = |bytes: &[u8], secret: &Secret, most| receive::<M>(bytes, &mut buffer, secret, most);
    assert_eq!(get(&bytes, &secret, MOST).unwrap().as_ref(), Some(message));
    assert!(get(&bytes, &NO_SECRET, MOST).is_err(), "of somebody who does not know the secret");
    let content = bytes.len() - HEAD;
    assert!(
        get(&bytes, &secret, content).is_ok()
            && content.checked_sub(1).is_none_or(|most| get(&bytes, &secret, most).is_err())
    );
    for cut in 1..bytes.len().min(100) {
        assert!(get(&bytes[..cut], &secret, MOST).is_err(), "a part of a message is none");
    }
    assert!(get(&[], &secret, MOST).unwrap().is_none());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::launcher::wire::Reply;

    #[test]
    fn what_announces_too_much_is_refused_at_once() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut channel = Channel::new(ours);
        let head = [&u32::to_le_bytes((1 << 30) - 1)[..], &NO_SECRET].concat();
        (&theirs).write_all(&head).unwrap();
        // Nothing follows: to wait for it would be to wait for ever.
        let error = channel.receive::<Reply>(1000).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(channel.buffer.len() <= 1 << 16);
    }
}
