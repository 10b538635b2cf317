Creator "survey"
Version 1
graph [
  comment "Stages of a chain for sound"
  directed 0
  id 1
  layout [ unit "m" scale 0.5 ]
  node [
    id 10
    label "gate"
    graphics [ x 0.5 y 0.0 ]
    kind "input"
  ]
  node [
    id 11
    label "buffer"
    graphics [ x 1.5 y 0.0 ]
    kind "store"
    size 64
  ]
  node [
    id 12
    label "filter"
    graphics [ x 2.5 y 0.75 ]
    kind "work"
    weights [ w 0.25 w 0.5 w 0.25 ]
  ]
  node [
    id 13
    label "scaler"
    graphics [ x 2.5 y 1.75 ]
    kind "work"
  ]
  node [
    id 14
    label "mixer"
    graphics [ x 3.5 y 1.0 ]
    kind "work"
    size 2
  ]
  node [
    id 15
    label "sink"
    graphics [ x 4.5 y 1.0 ]
    kind "output"
  ]
  edge [
    id 1
    source 10
    target 11
    line "raw"
    minutes 1
  ]
  edge [
    id 2
    source 11
    target 12
    line "left"
    minutes 0.5
  ]
  edge [
    id 3
    source 11
    target 13
    line "right"
    minutes 0.5
  ]
  edge [
    id 4
    source 12
    target 14
    line "left"
    minutes 2
  ]
  edge [
    id 5
    source 13
    target 14
    line "right"
    minutes 2
  ]
  edge [
    id 6
    source 14
    target 15
    line "mixed"
    minutes 1
  ]
]
