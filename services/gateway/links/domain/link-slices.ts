/** The links of pages that fall into a window over all links of all pages. */

/** Links `from` to before `to` of the page at this position. */
export type Slice = { page: number; from: number; to: number }

/** The rest of a window; `slicesOf` removes the processed part. */
type RestOfWindow = { skip: number; take: number }

/** Returns the slices of these pages without empty ones. @param counts number of links of each page */
export function slicesOf(counts: readonly number[], left: RestOfWindow): Slice[] {
  const slices: Slice[] = []
  for (const [page, count] of counts.entries()) {
    const from = Math.min(left.skip, count)
    const to = Math.min(from + left.take, count)
    left.skip -= from
    left.take -= to - from
    if (to > from) slices.push({ page, from, to })
  }
  return slices
}
