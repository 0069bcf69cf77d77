/**
 * PageRank (Brin and Page, 1998) by power iteration: a reader follows a link with probability 0.85, and otherwise jumps
 * to any page. The scores of all pages sum to 1.
 */
import type { Flow } from './flow.ts'

export type Ranks = { scores: Float64Array; iterations: number; converged: boolean }

const damping = 0.85
/**
 * Iteration ends when the sum of changes is smaller. All scores are then within 6e-12 of the limit. Scores are reported
 * and compared with twelve digits.
 */
const tolerance = 1e-12
/** No graph needs more, because each iteration leaves at most 0.85 of the change. */
const maxIterations = 200

export function pagerank({ offsets, sources, shares, spread }: Flow, limit = maxIterations): Ranks {
  const pages = shares.length
  let scores = new Float64Array(pages).fill(1 / pages)
  let next = new Float64Array(pages)
  const given = new Float64Array(pages)
  let iterations = 0
  let converged = pages === 0
  while (!converged && iterations < limit) {
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

/** Corrects the rounding error of the sum. */
function summingToOne(scores: Float64Array): Float64Array {
  const sum = scores.reduce((sum, score) => sum + score, 0)
  return scores.map(score => score / sum)
}
