/** Limits the concurrent long requests of a project at each gateway, because they hold much memory. */
import type { Reason } from '@tidemark/contracts/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Slots } from '../domain/slots.ts'
import { acquireSlot } from './acquire-slot.ts'

const slotsOfProject = 8

/** A hook that limits the concurrent requests of a project over all routes that share it. */
export type AcquireSlot = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** @param what the plural noun of these requests, for the error message */
export function slotsFor(reason: Reason, what: string): AcquireSlot {
  const slots = new Slots(slotsOfProject)
  const message = `This gateway already processes ${slotsOfProject} ${what} of the project. Try again when one has ended.`
  return async ({ caller }, reply) => void acquireSlot(slots, caller.projectId, reply, { reason, message })
}
