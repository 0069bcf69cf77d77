/** Asks the package for its program by its own route, packs it, and posts it. */
import { hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { constants, gzipSync } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import fastify from 'fastify'

const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the package of the reference page answers ${statusCode}`)
const packed = gzipSync(rawPayload, { level: constants.Z_BEST_COMPRESSION })
parentPort?.postMessage({ packed, version: hash('sha256', packed, 'base64url').slice(0, 12) })
