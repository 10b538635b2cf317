; Counts the letters of a line and writes how often each is there.
; For machines that have nothing but 16 bits.

.386
.model small

CR      EQU 13
LF      EQU 10
PLACES  = 5

.data
prompt  DB 'A line, please: ', '$'
none    DB CR, LF, 'There is no letter in it.', CR, LF, '$'
newline DB CR, LF, '$'
; What the system fills in: room, length, text.
line    DB 81, 0, 81 DUP (0)
counts  DW 26 DUP (0)
digits  DB 5 DUP (' '), '$'
total   DW 0
most    BYTE 0
mirror  DW ?

_text SEGMENT
start:
        mov ah, 9
        mov dx, offset prompt
        int 21h
        mov ah, 0AH
        lea dx, line
        int 21h

; Go through the line. BX is where it stands, CX how much is left.
        lea bx, line
        mov cl, [bx+1]
        mov ch, 0
        jcxz empty
        add bx, 2
next:   mov al, [bx]
        inc bx
        and al, 0DFH            ; capitals
        cmp al, 'A'
        jb other
        cmp al, 'Z'
        ja other
        sub al, 'A'
        cbw
        shl ax, 1
        mov di, ax
        inc [counts+di]
        inc total
other:  loop next
        cmp total, 0
        jne write
empty:  mov dx, offset none
        call print
        jmp done

; Letters that are not there are passed over.
write:  mov dx, offset newline
        call print
        mov si, 0
        mov cx, 26
again:  mov ax, [counts+si]
        or ax, ax
        jz skip
        push cx
        call number
        mov bx, offset digits
        mov dx, si
        shr dx, 1
        add dl, 'A'
        mov [bx], dl
        mov [bx+1], ':'
        mov dx, bx
        call print
        mov dx, offset newline
        call print
        cmp ax, [counts+2]
        jbe smaller
        mov most, dl
smaller:
        pop cx
skip:   add si, 2
        loop again

done:   mov ax, 4C00H
        int 21h

; Writes what is at DX.
print:  push ax
        mov ah, 9
        int 21h
        pop ax
        ret

; Makes digits of AX, from the right to the left.
number: push ax
        push dx
        push cx
        mov cx, PLACES-1
        mov di, offset digits+PLACES-1
figure: sub dx, dx
        mov bx, 10
        div bx
        add dl, '0'
        mov [di], dl
        dec di
        or ax, ax
        loopnz figure
        cld
        mov al, ' '
        rep stosb
        pop cx
        pop dx
        pop ax
        ret

; Turns the bits of the word at DI around, for the printer.
turn:   mov ax, [di]
        mov mirror, ax
        mov cx, 16
bit:    rcr mirror, 1
        rcl ax, 1
        loop bit
        xchg ax, [di]
        test most, 1
        ret
_text ENDS
END
