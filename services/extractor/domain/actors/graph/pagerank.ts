/**
 * PageRank (Brin and Page, 1998) by power iteration: a reader follows a link with probability 0.85, and else goes
 * to any page. The scores of all pages sum to 1.
 */
import type { Flow } from './flow.ts'

export type Ranks = { scores: Float64Array; iterations: number; converged: boolean }

const damping = 0.85
/**
 * All scores together then change by less, and are no further than 6e-12 from where endless iteration would bring
 * them: scores are told, and compared, by twelve digits.
 */
const tolerance = 1e-12
/** More than any graph needs, as each iteration leaves at most 0.85 of the change. */
const mostIterations = 200

export function pagerank({ offsets, sources, shares, spread }: Flow, most = mostIterations): Ranks {
  const pages = shares.length
  let scores = new Float64Array(pages).fill(1 / pages)
  let next = new Float64Array(pages)
  const given = new Float64Array(pages)
  let iterations = 0
  let converged = pages === 0
  while (!converged && iterations < most) {
    iterations++
    let everywhere = 0
    for (let page = 0; page < pages; page++) {
      const score = scores[page] as number
      given[page] = score * (shares[page] as number)
      everywhere += score * (spread[page] as number)
    }
    const base = (1 - damping + damping * everywhere) / pages
    let change = 0
    for (let page = 0, at = 0; page < pages; page++) {
      const end = offsets[page + 1] as number
      let got = 0
      for (; at < end; at++) got += given[sources[at] as number] as number
      const score = base + damping * got
      next[page] = score
      change += Math.abs(score - (scores[page] as number))
    }
    ;[scores, next] = [next, scores]
    converged = change < tolerance
  }
  return { scores: summingToOne(scores), iterations, converged }
}

/** Rounding moves the sum, if by little. */
function summingToOne(scores: Float64Array): Float64Array {
  const sum = scores.reduce((sum, score) => sum + score, 0)
  return scores.map(score => score / sum)
}
