# Summary of an access log: requests, bytes and errors for each host.
# Usage: awk -f hosts.awk access.log

BEGIN {
    FS = " "
    limit = 10
    threshold = 500
    months = "JanFebMarAprMayJunJulAugSepOctNovDec"
}

# Number of a month from its short name.
function month_number(name, at) {
    at = index(months, name)
    if (at == 0)
        return 0
    return (at + 2) / 3
}

# Bytes in a readable form.
function human(bytes, unit) {
    unit = "B"
    if (bytes >= 1024) {
        bytes = bytes / 1024
        unit = "KiB"
    }
    if (bytes >= 1024) {
        bytes = bytes / 1024
        unit = "MiB"
    }
    return sprintf("%.1f %s", bytes, unit)
}

# Splits the time stamp and counts the request for its day.
function count_day(stamp, parts, n) {
    n = split(stamp, parts, "/")
    if (n != 3) {
        malformed++
        next
    }
    days[parts[3], month_number(parts[2]), parts[1]]++
    return n
}

/^#/ { next }

NF < 10 {
    malformed++
    next
}

{
    host = $1
    status = $9
    size = $10
    if (size == "-")
        size = 0
    requests[host]++
    bytes[host] += size
    total += size
    if (status >= threshold)
        errors[host]++
    count_day(substr($4, 2, 11))
}

END {
    for (host in requests) {
        if (requests[host] < limit)
            continue
        printf "%-30s %8d %12s %6d\n", host, requests[host], human(bytes[host]), errors[host]
    }
    for (day in days)
        print day, days[day] > "days.txt"
    printf("%d lines malformed, %s in total\n", malformed, human(total))
}
