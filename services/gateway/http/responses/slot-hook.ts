/** Limits the concurrent long requests of a project at each gateway, because they hold much memory. */
import type { Reason } from '@tidemark/contracts/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiProblem } from '../domain/problem.ts'
import { Slots } from '../domain/slots.ts'
import { onResponseEnd } from '../requests/on-response-end.ts'

const slotsOfProject = 8

/** A hook that limits the concurrent requests of a project over all routes that share it. */
export type SlotHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** The work that holds the slot of its request. */
const working = new WeakMap<FastifyReply['raw'], Promise<unknown>>()

/** @param what the plural noun of these requests, for the error message */
export function slotHook(reason: Reason, what: string): SlotHook {
  const slots = new Slots(slotsOfProject)
  const message = `This gateway already processes ${slotsOfProject} ${what} of the project. Try again when one has ended.`
  return async ({ caller }, { raw }) => {
    const release = slots.take(caller.projectId)
    if (release === null) throw new ApiProblem('too_many_requests', { reason, message })
    onResponseEnd(raw, () => {
      const work = working.get(raw)
      if (work === undefined) release()
      else void Promise.allSettled([work]).then(release)
    })
  }
}

/**
 * Returns the result of the work. Its request keeps its slot until the work ends, even if the client leaves before: use it
 * for work that cannot be stopped.
 */
export function holdSlot<Result>({ raw }: FastifyReply, work: Promise<Result>): Promise<Result> {
  working.set(raw, work)
  return work
}
