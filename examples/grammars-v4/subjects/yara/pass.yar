// Files that belong to the archive and need not be looked at.
import "hash"

rule catalogue : ours
{
    meta:
        author = "archive"
        pages = 12
    strings:
        $head = "CATALOGUE OF PLATES" fullword wide ascii
        $foot = "end of catalogue" nocase fullword
        $mark = { 43 41 54 [4] ( 00 | FF ) }
    condition:
        $mark at 0 and ($head or $foot)
}

private rule masked
{
    strings:
        $one = "observatory" xor wide fullword
        $two = "plate" base64 wide private
        $three = /plate-[0-9]{4}/i wide nocase
    condition:
        any of them and filesize > 1KB
}

rule masked_by_others { condition: masked and not catalogue }
