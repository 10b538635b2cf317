Creator "survey"
Version 1
graph [
  comment "Trams, as of the spring timetable"
  directed 0
  id 1
  layout [ unit "m" scale 0.5 ]
  node [
    id 10
    label "Harbour"
    graphics [ x 12.5 y 3.0 ]
    zone 1
    lift 1
  ]
  node [
    id 11
    label "Old Market"
    graphics [ x 14.0 y 4.25 ]
    zone 1
  ]
  node [
    id 12
    label "Town Hall"
    graphics [ x 15.5 y 4.75 ]
    zone 1
    exits [ north "Hall Street" south "Mill Lane" ]
  ]
  node [
    id 13
    label "Museum"
    graphics [ x 17.0 y 6.5 ]
    zone 2
  ]
  node [
    id 12
    label "Botanic Garden"
    graphics [ x 19.25 y 8.0 ]
    zone 2
    lift 0
  ]
  node [
    id 15
    label "North Cemetery"
    graphics [ x 21.0 y 11.0 ]
    zone 3
  ]
  node [
    id 16
    label "University"
    graphics [ x 12.0 y 9.5 ]
    zone 2
    opened 1978
  ]
  node [
    id 17
    label "Stadium"
    graphics [ x 9.5 y 12.0 ]
    zone 3
    opened 1991
  ]
  edge [
    id 1
    source 10
    target 11
    line "blue"
    minutes 2
  ]
  edge [
    id 2
    source 11
    target 12
    line "blue"
    minutes 1.5
  ]
  edge [
    id 3
    source 12
    target 13
    line "blue"
    minutes 2
  ]
  edge [
    id 4
    source 12
    target 16
    line "red"
    minutes 3
  ]
  edge [
    id 5
    source 16
    target 17
    line "red"
    minutes 3.5
  ]
  edge [
    id 6
    source 17
    target 10
    line "red"
    minutes 6
  ]
  edge [
    id 7
    source 13
    target 15
    line "green"
    minutes 5
  ]
]
