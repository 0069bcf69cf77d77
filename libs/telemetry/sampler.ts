/**
 * Decides which traces are exported: a share of them, by the standard variables. All spans of a trace follow its first
 * one, in all services. In other traces our own spans are recorded too, because errors are exported (`kept-errors.ts`).
 * Database statements are not recorded there, because they are the most frequent spans.
 */
import { type Attributes, type Context, context, type Link, TraceFlags, trace } from '@opentelemetry/api'
import { type Sampler, SamplingDecision, type SamplingResult } from '@opentelemetry/sdk-trace'
import { spanAttributes } from '@tidemark/contracts/traces'
import { isFromClient } from './propagator.ts'

export type Sampling = {
  /** Share of the traces that begin here, from 0 to 1. */
  ratio: number
  /** Whether a client's sampled flag is enough. Otherwise it only makes sampling possible. */
  trustsClients: boolean
}

/** Returns the sampling that the variables set. Their validity is checked with all other settings. */
export function samplingFrom(env: NodeJS.ProcessEnv): Sampling {
  const { OTEL_TRACES_SAMPLER = '', OTEL_TRACES_SAMPLER_ARG: share, TRACE_TRUSTS_CLIENTS: trusts } = env
  // Spans within a trace always follow its first one, so the prefix of the name makes no difference.
  const name = OTEL_TRACES_SAMPLER.trim().replace(/^parentbased_/, '')
  const trustsClients = trusts === 'true' || trusts === '1'
  if (name === 'always_off') return { ratio: 0, trustsClients }
  return { ratio: name === 'traceidratio' && share ? Number(share) : 1, trustsClients }
}

const sampled: SamplingResult = { decision: SamplingDecision.RECORD_AND_SAMPLED }
const recorded: SamplingResult = { decision: SamplingDecision.RECORD }
const passed: SamplingResult = { decision: SamplingDecision.NOT_RECORD }

/**
 * Returns the sampler.
 * @param chance returns a number from 0 to 1 for each trace, not derived from its id, which clients can choose
 */
export function samplerOf({ ratio, trustsClients }: Sampling, chance: () => number = Math.random): Sampler {
  const isDrawn = () => chance() < ratio

  function isSampled(context: Context, links: Link[]): boolean {
    const parent = trace.getSpanContext(context)
    if (parent === undefined || !trace.isSpanContextValid(parent))
      return links.length > 0 ? links.some(({ context }) => isMarked(context)) : isDrawn()
    const isClients = parent.isRemote === true && isFromClient(context)
    return isMarked(parent) && (!isClients || trustsClients || isDrawn())
  }

  return {
    shouldSample(context, _traceId, _name, _kind, attributes, links) {
      if (isSampled(context, links)) return sampled
      return isStatement(attributes) ? passed : recorded
    },
    toString: () => `one in ${1 / ratio}`,
  }
}

const isStatement = (attributes: Attributes): boolean => spanAttributes.dbSystem in attributes

/** Returns whether the current work belongs to a sampled trace. */
export function isSampledHere(): boolean {
  const here = trace.getSpanContext(context.active())
  return here !== undefined && isMarked(here)
}

const isMarked = ({ traceFlags }: { traceFlags: number }): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0
