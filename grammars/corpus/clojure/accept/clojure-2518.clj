(fn [a-b a_b] (fn [] a_b a-b))
