require ["fileinto", "body", "variables"];
require ["imap4flags", "ereject", "date", "copy"];

# Work comes first.
set "folder" "other";
if address :all :is "from" ["boss@works.example", "desk@works.example"] {
    setflag "flagged";
    keep;
    stop;
}

if anyof (header :contains "subject" "[build]", header :is "x-from" "builder") {
    if body :contains "all tests passed" {
        addflag ["seen", "good"];
    } else {
        addflag "bad";
    }
    fileinto "builds";
    stop;
}

# Large ones are sent back, but not to friends.
if allof (size :over 900K, not address :domain "from" ["friends.example", "family.example"]) {
    ereject "This is too large. Please put it somewhere and send an address.";
} elsif currentdate :zone "+0100" :is "weekday" ["0", "6"] {
    set "folder" "weekend";
    fileinto :copy "weekend";
}

if string :is "weekend" ["weekend"] {
    redirect "home@family.example";
} elsif hasflag "list" {
    discard;
} else {
    if not exists ["to", "cc"] {
        fileinto "blind";
    }
}
