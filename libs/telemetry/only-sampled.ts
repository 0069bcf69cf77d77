/**
 * Instrumentations of frequent operations, statements and commands, that record only in sampled traces. They can check
 * for a parent span, but not for its sampling, and starting a span that is never exported takes longer than the rest
 * of the call (docs/decisions/0070-record-our-spans-even-when-a-trace-is-not-sampled.md).
 */
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { isSampledHere } from './sampler.ts'

type Method = (this: unknown, ...args: unknown[]) => unknown
type Patch = (original: Method) => Method

/** Instruments statements only. Connections of pools are counted by our own metrics. */
class Statements extends PgInstrumentation {
  override init() {
    return super.init().filter(({ name }) => name === 'pg')
  }
}

/** Statements of Postgres as spans. */
export const statements = (): PgInstrumentation =>
  onlyWhereSampled(
    new Statements({ requireParentSpan: true, ignoreConnectSpans: true }),
    '_getClientQueryPatch',
  )

/** Commands of Redis as spans. */
export const commands = (): IORedisInstrumentation =>
  onlyWhereSampled(new IORedisInstrumentation({ requireParentSpan: true }), '_patchSendCommand')

/** @param method of the instrumentation, which returns its patch when the library is loaded later */
function onlyWhereSampled<T extends object>(instrumentation: T, method: string): T {
  const patchOf = Reflect.get(instrumentation, method) as ((...args: unknown[]) => Patch) | undefined
  if (patchOf === undefined) throw new Error(`${instrumentation.constructor.name} has no ${method}`)
  return Object.assign(instrumentation, {
    [method]: (...args: unknown[]) => whereSampled(patchOf.apply(instrumentation, args)),
  })
}

function whereSampled(patch: Patch): Patch {
  return original => {
    const traced = patch(original)
    return function (...args) {
      return (isSampledHere() ? traced : original).apply(this, args)
    }
  }
}
