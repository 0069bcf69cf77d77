/** An answer whose JSON was made before: it is sent as it is. */
import type { FastifyReply } from 'fastify'
import { mediaTypes } from '../domain/list-format.ts'

export const sendMade = (reply: FastifyReply, json: Buffer) => reply.type(mediaTypes.json).send(json)
