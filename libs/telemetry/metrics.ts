/**
 * Creates counters, histograms and gauges of services. Without `register-metrics.ts`, which is loaded only on request,
 * they do nothing.
 */
import {
  type Attributes,
  type MetricOptions,
  metrics,
  type Observable,
  type ObservableResult,
} from '@opentelemetry/api'
import {
  type By,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type MetricName,
  metricTable,
} from './metric-table.ts'

/** Returns a function that adds to the counter. */
export function counter<Name extends CounterName>(name: Name): (count: number, by: By<Name>) => void {
  const instrument = meter().createCounter(name, optionsOf(name))
  return (count, by) => instrument.add(count, by as Attributes)
}

/** Returns a function that records a value in the unit of the histogram. */
export function histogram<Name extends HistogramName>(name: Name): (value: number, by: By<Name>) => void {
  const instrument = meter().createHistogram(name, optionsOf(name))
  return (value, by) => instrument.record(value, by as Attributes)
}

export type Report<Name extends MetricName> = (value: number, by: By<Name>) => void

/**
 * Calls `look` at each reading to report the current values, until the result is disposed. If it throws or is slow,
 * the values are missing.
 */
export function gauge<Name extends GaugeName>(
  name: Name,
  look: (report: Report<Name>) => void | Promise<void>,
): Disposable {
  return watched(meter().createObservableGauge(name, optionsOf(name)), look)
}

/** Does the same as `gauge` for a counter whose value is counted elsewhere. */
export function counted<Name extends CounterName>(
  name: Name,
  look: (report: Report<Name>) => void | Promise<void>,
): Disposable {
  return watched(meter().createObservableCounter(name, optionsOf(name)), look)
}

function watched<Name extends MetricName>(
  instrument: Observable,
  look: (report: Report<Name>) => void | Promise<void>,
): Disposable {
  const callback = (result: ObservableResult) =>
    inTime(async () => look((value, by) => result.observe(value, by as Attributes)))
  instrument.addCallback(callback)
  return { [Symbol.dispose]: () => instrument.removeCallback(callback) }
}

/** Maximum wait for one gauge. While a database hangs, the other metrics must arrive before the reader's timeout. */
const limitMs = 2_000

async function inTime(look: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${limitMs} ms`)), limitMs).unref()
  })
  await Promise.race([look(), late]).finally(() => clearTimeout(timer))
}

const meter = () => metrics.getMeter('tidemark')

function optionsOf(name: MetricName): MetricOptions {
  const { unit, description, ...rest } = metricTable[name]
  const { buckets } = rest as { buckets?: readonly number[] }
  return { unit, description, ...(buckets && { advice: { explicitBucketBoundaries: [...buckets] } }) }
}
