; Beeps as often as a number says, with a pause between.

.386
times   EQU 3

.data
pauses  DW 4000, 8000, 2 DUP (16000)
pause   DW ?
count   BYTE 1
table   DB 'beep', 0, 3 DUP (1)

.code
begin:  mov cx, times
        lea si, pauses
round:  push cx
        mov dl, 7
        mov ah, 2
        int 21h
        lodsw
        mov bx, ax
        add bx, [si]
        mov [si], bx
        shl pause, 1
        adc [pauses+4], 0
        mov pause, 0FFH
wait_:  dec bx
        jnz wait_
        pop cx
        loop round
        sub ax, ax
        cmp [table+bx], 10
        je quit
        mul count
        and count, 7FH
quit:   mov ah, 4CH
        int 21h
END
