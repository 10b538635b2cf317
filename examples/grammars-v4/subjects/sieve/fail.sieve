# What becomes of mail to the choir's secretary.
require ["fileinto", "envelope", "imap4flags"];
require ["vacation", "copy"];

# Nobody needs these.
if anyof (header :contains "subject" ["lottery", "pills"], size :over 20M) {
    discard;
    stop;
}

# Lists, each with a folder of its own.
if header :is "list-id" ["<tenors.choir.example>", "<basses.choir.example>"] {
    fileinto "lists.singers";
    addflag "list";
} elsif address :domain :is ["from", "sender"] "festival.example" {
    if not exists "x-festival" {
        setflag ["flagged", "festival"];
    }
    fileinto "festival";
    stop;
} elsif allof (header :matches "subject" "*concert*", not address :localpart "from" "noreply") {
    fileinto :copy "concerts";
    redirect "tickets@choir.example";
} else {
    keep;
}

# The old address is still in use.
if envelope :all :is "to" "office@choir.example" {
    if header :contains "subject" ["invoice", "receipt"] {
        redirect "treasurer@choir.example";
        removeflag "seen";
    } elsif body :contains ["urgent", "at once"] {
        redirect "chair@choir.example";
    }
}

# Away in July.
if allof (exists ["to", "date"], not header :contains "precedence" "bulk", true) {
    vacation :days 14 :addresses ["secretary@choir.example", "office@choir.example"]
        :subject "Away until August" "I am on a boat and read no mail. Please write to the chair.";
}
