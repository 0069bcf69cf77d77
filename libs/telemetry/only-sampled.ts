/**
 * Instruments frequent operations (statements of Postgres, commands of Redis) only in sampled traces. The libraries can
 * check for a parent span, but not for its sampling, and starting a span that is never exported takes longer than the
 * rest of the call (docs/decisions/0070-record-our-spans-even-when-a-trace-is-not-sampled.md).
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

/** Returns an instrumentation that records statements of Postgres as spans. */
export const statements = (): PgInstrumentation =>
  onlyWhereSampled(
    new Statements({ requireParentSpan: true, ignoreConnectSpans: true }),
    '_getClientQueryPatch',
  )

/** Returns an instrumentation that records commands of Redis as spans. */
export const commands = (): IORedisInstrumentation =>
  onlyWhereSampled(new IORedisInstrumentation({ requireParentSpan: true }), '_patchSendCommand')

/**
 * Restricts an instrumentation to sampled traces.
 * @param method name of its method that returns the patch of the library
 */
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
