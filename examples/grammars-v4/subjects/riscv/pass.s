# Sorts bytes, and sums what is at even places.
	.option norvc
	.text
	.globl sort
	.align 2
sort:				# a0: bytes, a1: how many
	li t0, 1
.Louter:
	bge t0, a1, .Lsorted
	add t1, a0, t0
	lb t2, 0(t1)
	mv t3, t0
.Linner:
	beqz t3, .Lput
	add t4, a0, t3
	lb t5, -1(t4)
	bge t2, t5, .Lput
	sb t5, 0(t4)
	addi t3, t3, -1
	j .Linner
.Lput:
	add t4, a0, t3
	sb t2, 0(t4)
	addi t0, t0, 1
	j .Louter
.Lsorted:
	ret

	.globl sum
sum:				# a0: bytes, a1: how many
	addi sp, sp, -2048
	sd s0, 2040(sp)
	li s0, 0
	mv t0, zero
.Lloop:
	bgeu t0, a1, .Ldone
	add t1, a0, t0
	lbu t2, 0(t1)
	andi t3, t0, 0x1
	bnez t3, .Lskip
	addw s0, s0, t2
.Lskip:
	addi t0, t0, 1
	j .Lloop
.Ldone:
	lui t1, 16
	remuw a0, s0, t1
	xori a0, a0, -1
	ld s0, 2040(sp)
	addi sp, sp, 2047
	addi sp, sp, 1
	ret

	.globl lock
lock:				# a0: a word that is taken
	li t0, 1
	amoswap.w t1, t0, (a0)
	bnez t1, lock
	fence
	ret

	.data
	.balign 4
limits:	.word 4096, 65536, -1
bytes:	.2byte 1, 2, 0x7fff
	.space 5000
title:	.string "SORT"
