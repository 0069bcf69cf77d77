/** Crawls, searches and large documents hold much for long: so many a project at each gateway, and no more. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Seats } from '../../domain/seats.ts'
import { takeSeat } from '../take-seat.ts'

const seatsOfProject = 8

/** A hook that lets in as many requests of a project as there are seats, over all routes that share it. */
export function seatsForLong() {
  const seats = new Seats(seatsOfProject)
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    takeSeat(seats, caller.projectId, reply, { reason: 'cloud_requests', message })
  }
}

const message = `This project has ${seatsOfProject} crawls, searches and documents under way here. Try again when one has ended.`
