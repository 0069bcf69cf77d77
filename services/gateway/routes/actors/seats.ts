/** Actors that work for long hold much: so many a project at each gateway, and no more. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Seats } from '../../domain/seats.ts'
import { takeSeat } from '../take-seat.ts'

const seatsOfProject = 8

/** A hook that lets in as many requests of a project as there are seats, over all routes that share it. */
export function seatsForActors() {
  const seats = new Seats(seatsOfProject)
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    takeSeat(seats, caller.projectId, reply, { reason: 'actor_requests', message })
  }
}

const message = `This project has ${seatsOfProject} link checks, link graphs and sitemap audits under way here. Try again when one has ended.`
