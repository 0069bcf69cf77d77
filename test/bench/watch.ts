/** A stopwatch over processes: time, CPU and memory between two moments, and what others used meanwhile. */
import { busySeconds, cpuSeconds, residentBytes, treeOf } from './processes.ts'

export type Used = {
  seconds: number
  cpuSeconds: number
  /** Highest sum of the resident sets of the Node processes. */
  peakBytes: number
  /** Processors that others, not the site and not the bench, kept busy on the average. */
  othersCores: number
}

type Watched = {
  /** Counted with all that descends from them. */
  roots: number[]
  /** Whose memory is counted. */
  nodes: number[]
  /** Known, but nobody's cost: the site. */
  aside: number[]
}

const betweenSamplesMs = 100

/** Starts the clock; call the answer to stop it. */
export function startWatch({ roots, nodes, aside }: Watched): () => Used {
  const spent = () => cpuSeconds(treeOf(roots))
  const known = () => cpuSeconds([...aside, process.pid])
  let peakBytes = 0
  const sample = () => {
    peakBytes = Math.max(peakBytes, residentBytes(nodes))
  }
  const sampling = setInterval(sample, betweenSamplesMs)
  const before = { busy: busySeconds(), spent: spent(), known: known(), at: performance.now() }

  return () => {
    const seconds = (performance.now() - before.at) / 1000
    clearInterval(sampling)
    sample()
    const cpu = spent() - before.spent
    const others = busySeconds() - before.busy - cpu - (known() - before.known)
    return { seconds, cpuSeconds: cpu, peakBytes, othersCores: Math.max(0, others / seconds) }
  }
}
