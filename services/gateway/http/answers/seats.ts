/** What takes long holds much: so many requests of a project at each gateway, and no more. */
import type { Reason } from '@tidemark/contracts/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Seats } from '../domain/seats.ts'
import { takeSeat } from './take-seat.ts'

const seatsOfProject = 8

/** A hook that lets in as many requests of a project as there are seats, over all routes that share it. */
export type TakeSeat = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** @param what is asked for, as it is told to who finds no seat */
export function seatsFor(reason: Reason, what: string): TakeSeat {
  const seats = new Seats(seatsOfProject)
  const message = `This project has ${seatsOfProject} ${what} under way here. Try again when one has ended.`
  return async ({ caller }, reply) => void takeSeat(seats, caller.projectId, reply, { reason, message })
}
