/**
 * Which traces are exported. One in so many, as the standard's variables say; what belongs to a trace goes the way
 * that its beginning went, through all services. Of the others our own work is recorded all the same, for an error
 * keeps it (`kept-errors.ts`); not the statements in it, of which there are most: their errors are told by that work.
 */
import { type Attributes, type Context, context, type Link, TraceFlags, trace } from '@opentelemetry/api'
import { type Sampler, SamplingDecision, type SamplingResult } from '@opentelemetry/sdk-trace'
import { spanAttributes } from '@tidemark/contracts/traces'
import { isOfStranger } from './propagator.ts'

export type Sampling = {
  /** Of the traces that begin here, from 0 to 1. */
  ratio: number
  /** Whether a client's word that its trace is sampled is enough; else it only makes it possible. */
  trustsClients: boolean
}

/** What the variables say; that they can be read is judged with all other settings. */
export function samplingFrom(env: NodeJS.ProcessEnv): Sampling {
  const { OTEL_TRACES_SAMPLER = '', OTEL_TRACES_SAMPLER_ARG: told, TRACE_TRUSTS_CLIENTS: trusts } = env
  // Inside a trace all follow its beginning, so it makes no difference whether the name says so.
  const name = OTEL_TRACES_SAMPLER.trim().replace(/^parentbased_/, '')
  const trustsClients = trusts === 'true' || trusts === '1'
  if (name === 'always_off') return { ratio: 0, trustsClients }
  return { ratio: name === 'traceidratio' && told ? Number(told) : 1, trustsClients }
}

const sampled: SamplingResult = { decision: SamplingDecision.RECORD_AND_SAMPLED }
const recorded: SamplingResult = { decision: SamplingDecision.RECORD }
const passed: SamplingResult = { decision: SamplingDecision.NOT_RECORD }

/** @param chance a number from 0 to 1 for each trace: not its id, which a client may choose so that it is sampled */
export function samplerOf({ ratio, trustsClients }: Sampling, chance: () => number = Math.random): Sampler {
  const isDrawn = () => chance() < ratio

  function isSampled(context: Context, links: Link[]): boolean {
    const parent = trace.getSpanContext(context)
    if (parent === undefined || !trace.isSpanContextValid(parent))
      return links.length > 0 ? links.some(({ context }) => isMarked(context)) : isDrawn()
    const isClients = parent.isRemote === true && isOfStranger(context)
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

/** Whether what goes on here is of a sampled trace. */
export function isSampledHere(): boolean {
  const here = trace.getSpanContext(context.active())
  return here !== undefined && isMarked(here)
}

const isMarked = ({ traceFlags }: { traceFlags: number }): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0
