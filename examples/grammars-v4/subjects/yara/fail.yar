/*
   Rules for the mail of the observatory: what came with letters in spring,
   and what tools of others leave behind.
*/
import "pe"
import "math"

private rule is_program
{
    condition:
        uint16(0) == 0x5A4D and uint32(uint32(0x3C)) == 0x00004550
}

rule letter_with_macro : mail spring
{
    meta:
        author = "night shift"
        written = "2023-04-02"
        weight = 60
        shared = true
    strings:
        $open = "AutoOpen" nocase
        $shell = "WScript.Shell" ascii wide nocase
        $get = /https?:\/\/[a-z0-9.]{4,40}\/inv[0-9]+\.doc/i
        $ole = { D0 CF 11 E0 A1 B1 1A E1 }
    condition:
        $ole at 0 and filesize < 400KB and (all of ($open, $shell) or $get)
}

// Loads the rest later, with its strings masked by one byte.
rule loader_masked : program
{
    meta:
        author = "night shift"
        sample = "4a7d1ed414474e4033ac29ccb8653d9b"
        weight = 90
    strings:
        $dos = "This program cannot be run in DOS mode" xor
        $agent = "Mozilla/5.0 (compatible; Tick)" wide xor private
        $mutex = "Global\\tick-7" fullword xor nocase
        $call = { E8 ?? ?? ?? ?? 83 C4 0? [2-6] 85 C0 ( 74 | 75 0F | 0F 84 ) }
        $key1 = { 6A 40 68 00 30 00 00 }
        $key2 = { 6A 04 68 00 10 [1-4] 57 FF 15 }
    condition:
        is_program and #dos > 1 and ($agent or $mutex) and
        ($call in (0x400 .. 0x4000) or any of ($key*))
}

rule script_in_base64
{
    meta:
        author = "J. Okoro"
        weight = 40
    strings:
        $a = "powershell -nop -w hidden" base64 base64wide
        $b = "DownloadString" ascii wide base64
        $c = "FromBase64String" fullword nocase ascii
        $d = "Start-Sleep" base64("zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA9876543210-_")
        $e = /-e(nc|c)? [A-Za-z0-9+\/]{40,}/ fullword
    condition:
        2 of them and not is_program
}

global rule not_too_big
{
    condition:
        filesize < 20MB
}

rule wiper_notes : program old
{
    strings:
        $ = "all your plates are gone" nocase wide
        $ = "write to plates@tick.example" nocase
        $ = "raw\\disk0" fullword wide ascii
    condition:
        is_program and 2 of them
}
