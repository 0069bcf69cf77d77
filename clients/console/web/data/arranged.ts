/**
 * Filters and sorts long lists in slices, so that the screen never waits: between two slices the browser draws and
 * handles input. Lists of 100,000 rows take some tenths of a second in all.
 */

/** Milliseconds of work at once, well below the 50 ms of a long task. */
const sliceMs = 8
/** Rows that are sorted at once: some milliseconds. */
const runLength = 2000

/** Returns a function that lets the browser draw and handle input if the slice is over. It throws on abort. */
function slices(signal: AbortSignal): () => Promise<void> | undefined {
  let startedAt = performance.now()
  const wait = async () => {
    await nextTask()
    signal.throwIfAborted()
    startedAt = performance.now()
  }
  return () => (performance.now() - startedAt < sliceMs ? undefined : wait())
}

/** Resolves in a task of its own. Timers would wait 4 ms each. */
const nextTask = (): Promise<void> =>
  new Promise(done => {
    const { port1, port2 } = new MessageChannel()
    const end = () => {
      port1.close()
      done()
    }
    port1.addEventListener('message', end, { once: true })
    port1.start()
    port2.postMessage(null)
  })

/** Which rows to show, and in which order. */
export type FilterAndOrder<Row> = {
  isWanted: (row: Row) => boolean
  /** Null keeps the order of the rows. */
  compare: ((a: Row, b: Row) => number) | null
}

/** Returns the wanted rows in their order; equal rows keep theirs. Rejects with the reason of `signal` on abort. */
export async function arranged<Row>(
  rows: readonly Row[],
  { isWanted, compare }: FilterAndOrder<Row>,
  signal: AbortSignal,
): Promise<Row[]> {
  const pause = slices(signal)
  const wanted: Row[] = []
  for (const [n, row] of rows.entries()) {
    if (isWanted(row)) wanted.push(row)
    if (n % 500 === 0) await pause()
  }
  return compare === null ? wanted : sorted(wanted, compare, pause)
}

/** Sorts short runs, and merges pairs of them until one is left. */
async function sorted<Row>(
  rows: readonly Row[],
  compare: (a: Row, b: Row) => number,
  pause: () => Promise<void> | undefined,
): Promise<Row[]> {
  let runs: Row[][] = []
  for (let at = 0; at < rows.length; at += runLength) {
    runs.push(rows.slice(at, at + runLength).sort(compare))
    await pause()
  }
  while (runs.length > 1) {
    const longer: Row[][] = []
    for (let n = 0; n < runs.length; n += 2)
      longer.push(await merged(runs[n] ?? [], runs[n + 1] ?? [], compare, pause))
    runs = longer
  }
  return runs[0] ?? []
}

async function merged<Row>(
  left: readonly Row[],
  right: readonly Row[],
  compare: (a: Row, b: Row) => number,
  pause: () => Promise<void> | undefined,
): Promise<Row[]> {
  const all: Row[] = []
  let [atLeft, atRight] = [0, 0]
  while (atLeft < left.length || atRight < right.length) {
    const isLeft =
      atRight >= right.length ||
      (atLeft < left.length && compare(left[atLeft] as Row, right[atRight] as Row) <= 0)
    all.push((isLeft ? left[atLeft++] : right[atRight++]) as Row)
    if (all.length % 500 === 0) await pause()
  }
  return all
}
