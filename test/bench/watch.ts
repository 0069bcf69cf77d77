/** A stopwatch for processes: time, CPU and memory between two moments, and the load by other processes meanwhile. */
import { busySeconds, cpuSeconds, residentBytes, treeOf } from './processes.ts'

export type Used = {
  seconds: number
  cpuSeconds: number
  /** Highest sum of the resident sets of the Node processes. */
  peakBytes: number
  /** Average number of processors that other processes kept busy, without the site and the bench. */
  othersCores: number
}

type Watched = {
  /** These processes and their descendants are measured. */
  roots: number[]
  /** Processes whose memory is measured. */
  nodes: number[]
  /** Processes that count neither as measured nor as others, such as the site. */
  aside: number[]
}

const betweenSamplesMs = 100

/** Starts the clock. Call the returned function to stop it. */
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
