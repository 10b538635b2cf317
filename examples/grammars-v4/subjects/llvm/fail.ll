; The greatest number of a table, and how often it is there.
source_filename = "greatest.c"
target triple = "x86_64-pc-linux-gnu"

%struct.table = type { i32, [16 x i32] }

@table = internal global %struct.table { i32 3, [16 x i32] zeroinitializer }, align 4
@limit = external global i32
@format = private unnamed_addr constant [7 x i8] c"%d %d\0A\00", align 1

declare i32 @printf(i8*, ...)

define internal i32 @at(%struct.table* %t, i32 %index) nounwind {
entry:
  %wide = sext i32 %index to i64
  %place = getelementptr inbounds %struct.table, %struct.table* %t, i32 0, i32 1, i64 %wide
  %value = load i32, i32* %place, align 4
  ret i32 %value
}

define i32 @greatest(%struct.table* %t, i32* %often) {
entry:
  %size.place = getelementptr %struct.table, %struct.table* %t, i32 0, i32 0
  %size = load i32, i32* %size.place
  %empty = icmp sle i32 %size, 0
  br i1 %empty, label %none, label %loop

none:
  store i32 0, i32* %often
  ret i32 -1

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %step ]
  %best = phi i32 [ -1, %entry ], [ %best.next, %step ]
  %value = call i32 @at(%struct.table* %t, i32 %i)
  %count = phi i32 [ 0, %entry ], [ %count.next, %step ]
  %same = icmp eq i32 %value, %best
  br i1 %same, label %equal, label %other

equal:
  %more = add nsw i32 %count, 1
  br label %step

other:
  %greater = icmp sgt i32 %value, %best
  %best.new = select i1 %greater, i32 %value, i32 %best
  %count.new = select i1 %greater, i32 1, i32 %count
  br label %step

step:
  %best.next = phi i32 [ %best, %equal ], [ %best.new, %other ]
  %count.next = phi i32 [ %more, %equal ], [ %count.new, %other ]
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %size
  br i1 %go, label %loop, label %end

end:
  store i32 %count.next, i32* %often, align 4
  ret i32 %best.next
}

define i32 @main() {
  %often = alloca i32
  %best = call i32 @greatest(%struct.table* @table, i32* %often)
  %n = load i32, i32* %often
  %text = getelementptr [7 x i8], [7 x i8]* @format, i64 0, i64 0
  %written = call i32 (i8*, ...) @printf(i8* %text, i32 %best, i32 %n)
  switch i32 %best, label %good [
    i32 -1, label %bad
    i32 0, label %bad
  ]
good:
  ret i32 0
bad:
  unreachable
}
