/** Sends a response whose JSON exists already, without serializing it again. */
import type { FastifyReply } from 'fastify'
import { mediaTypes } from '../domain/list-format.ts'

export const sendMade = (reply: FastifyReply, json: Buffer) => reply.type(mediaTypes.json).send(json)
