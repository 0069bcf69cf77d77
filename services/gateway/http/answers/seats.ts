/** Limits the concurrent long requests of a project at each gateway, because they hold much memory. */
import type { Reason } from '@tidemark/contracts/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Seats } from '../domain/seats.ts'
import { takeSeat } from './take-seat.ts'

const seatsOfProject = 8

/** A hook that limits the concurrent requests of a project over all routes that share it. */
export type TakeSeat = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** @param what the plural noun of these requests, for the error message */
export function seatsFor(reason: Reason, what: string): TakeSeat {
  const seats = new Seats(seatsOfProject)
  const message = `This gateway already processes ${seatsOfProject} ${what} of the project. Try again when one has ended.`
  return async ({ caller }, reply) => void takeSeat(seats, caller.projectId, reply, { reason, message })
}
