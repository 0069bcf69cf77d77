/**
 * Pages with nearly equal texts, by their simhashes: hashes that differ in at most 3 of 64 bits agree in one of four
 * bands of 16 bits, so only hashes with an equal band are compared.
 */

/** Maximum number of differing bits. */
export const maxDistance = 3
/** Maximum number of comparisons, so that no site takes much longer than a tenth of a second. */
const maxComparisons = 5_000_000
/** Maximum number of recorded neighbors of a hash. Others are counted. */
const maxNeighbors = 5
const bandBits = 16

/** The pages with one hash, and the other hashes near it. */
export type Cluster = { pages: number[]; neighbors: number[]; nearPages: number }

export type Similar = { clusters: Cluster[]; isCut: boolean }

/**
 * @param pages the pages to compare
 * @param simhashes two numbers for each page of the run
 */
export function similarTexts(
  pages: readonly number[],
  simhashes: readonly number[],
  maxPairs = maxComparisons,
): Similar {
  const halves = (page: number) => [simhashes[page * 2] as number, simhashes[page * 2 + 1] as number] as const
  const clusters = [...Map.groupBy(pages, page => halves(page).join()).values()].map(
    (pages): Cluster => ({ pages, neighbors: [], nearPages: 0 }),
  )
  const highs = Uint32Array.from(clusters, ({ pages: [page = 0] }) => halves(page)[0])
  const lows = Uint32Array.from(clusters, ({ pages: [page = 0] }) => halves(page)[1])
  let left = maxPairs
  for (let band = 0; band < 4; band++) {
    const keys = band < 2 ? lows : highs
    const shift = (band & 1) * bandBits
    for (const bucket of Map.groupBy(clusters.keys(), n => ((keys[n] as number) >>> shift) & 0xffff).values())
      left = compare(bucket, band, left)
  }
  return { clusters, isCut: left < 0 }

  /** Each pair is found in the first band in which it agrees. Returns the number of comparisons that are left. */
  function compare(bucket: readonly number[], band: number, limit: number): number {
    let left = limit
    for (let a = 0; a < bucket.length; a++)
      for (let b = a + 1; b < bucket.length; b++) {
        if (--left < 0) return left
        const [one, other] = [bucket[a] as number, bucket[b] as number]
        const low = ((lows[one] as number) ^ (lows[other] as number)) >>> 0
        const high = ((highs[one] as number) ^ (highs[other] as number)) >>> 0
        if (ones(low) + ones(high) <= maxDistance && firstEqualBand(low, high) === band) join(one, other)
      }
    return left
  }

  function join(one: number, other: number): void {
    const [a, b] = [clusters[one] as Cluster, clusters[other] as Cluster]
    a.nearPages += b.pages.length
    b.nearPages += a.pages.length
    if (a.neighbors.length < maxNeighbors) a.neighbors.push(other)
    if (b.neighbors.length < maxNeighbors) b.neighbors.push(one)
  }
}

/** Whether the simhashes of two pages differ in at most `maxDistance` bits. */
export const isSimilar = (simhashes: readonly number[], one: number, other: number): boolean =>
  [0, 1].reduce((bits, half) => {
    const [a, b] = [simhashes[one * 2 + half] as number, simhashes[other * 2 + half] as number]
    return bits + ones((a ^ b) >>> 0)
  }, 0) <= maxDistance

/** @param low, high the differing bits */
function firstEqualBand(low: number, high: number): number {
  if ((low & 0xffff) === 0) return 0
  if (low >>> bandBits === 0) return 1
  return (high & 0xffff) === 0 ? 2 : 3
}

function ones(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
