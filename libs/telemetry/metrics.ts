/**
 * How services count and measure. Where nobody asks for metrics (`register-metrics.ts` was not loaded) each of these
 * does nothing.
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

/** Adds to it. */
export function counter<Name extends CounterName>(name: Name): (count: number, by: By<Name>) => void {
  const instrument = meter().createCounter(name, optionsOf(name))
  return (count, by) => instrument.add(count, by as Attributes)
}

/** Notes a value of it, in its unit. */
export function histogram<Name extends HistogramName>(name: Name): (value: number, by: By<Name>) => void {
  const instrument = meter().createHistogram(name, optionsOf(name))
  return (value, by) => instrument.record(value, by as Attributes)
}

export type Tell<Name extends MetricName> = (value: number, by: By<Name>) => void

/** `look` tells what it is now whenever somebody reads; until it is disposed of. What throws, or takes long, leaves a gap. */
export function gauge<Name extends GaugeName>(
  name: Name,
  look: (tell: Tell<Name>) => void | Promise<void>,
): Disposable {
  return watched(meter().createObservableGauge(name, optionsOf(name)), look)
}

/** The same for what only grows, and is counted elsewhere. */
export function counted<Name extends CounterName>(
  name: Name,
  look: (tell: Tell<Name>) => void | Promise<void>,
): Disposable {
  return watched(meter().createObservableCounter(name, optionsOf(name)), look)
}

function watched<Name extends MetricName>(
  instrument: Observable,
  look: (tell: Tell<Name>) => void | Promise<void>,
): Disposable {
  const callback = (result: ObservableResult) =>
    inTime(async () => look((value, by) => result.observe(value, by as Attributes)))
  instrument.addCallback(callback)
  return { [Symbol.dispose]: () => instrument.removeCallback(callback) }
}

/** While a database hangs, what else a process has to tell must still come, and before its reader gives up. */
const lookMs = 2_000

async function inTime(look: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${lookMs} ms`)), lookMs).unref()
  })
  await Promise.race([look(), late]).finally(() => clearTimeout(timer))
}

const meter = () => metrics.getMeter('tidemark')

function optionsOf(name: MetricName): MetricOptions {
  const { unit, says: description, ...rest } = metricTable[name]
  const { buckets } = rest as { buckets?: readonly number[] }
  return { unit, description, ...(buckets && { advice: { explicitBucketBoundaries: [...buckets] } }) }
}
