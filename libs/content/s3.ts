/**
 * A bucket of a store with the S3 protocol. The operator names it in the settings and no customer can influence it, so
 * its requests do not pass the egress guard.
 */
import { BodiesAway, BodyTooLarge, type Objects, prefix } from './objects.ts'
import { type Answer, type Method, requestsTo } from './s3-requests.ts'
import type { BucketPlace } from './settings.ts'

/** Never an object: a request for a missing object is the cheapest probe of the bucket. */
const nothing = `${prefix}nothing`

/** Sends no request yet. Requests for objects reject as `Objects` documents. */
export function openBucket(place: BucketPlace): Objects {
  const requests = requestsTo(place)
  return {
    async put(name, data) {
      const answer = await requests.once({ method: 'PUT', path: name, data })
      if (answer.status === 413 || codeOf(answer) === 'EntityTooLarge')
        throw new BodyTooLarge(`The store of bodies takes no ${data.byteLength} bytes.`)
      if (!isDone(answer)) throw refusedBy('PUT', answer)
    },

    async get(name) {
      const answer = await requests.repeatedly({ method: 'GET', path: name })
      if (isDone(answer)) return answer.body
      if (isMissing(answer)) return null
      throw refusedBy('GET', answer)
    },

    async remove(name) {
      const answer = await requests.repeatedly({ method: 'DELETE', path: name })
      if (!isDone(answer) && !isMissing(answer)) throw refusedBy('DELETE', answer)
    },

    async list(after, limit) {
      const query = { 'list-type': '2', 'max-keys': String(limit), prefix, 'start-after': after }
      const answer = await requests.repeatedly({ method: 'GET', query })
      if (!isDone(answer)) throw refusedBy('GET', answer)
      // Names are of our making, and have nothing that XML would write otherwise.
      return [...answer.body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name)
    },

    async look() {
      const answer = await requests.once({ method: 'GET', path: nothing })
      if (!isDone(answer) && !isMissing(answer)) throw refusedBy('GET', answer)
    },

    close: () => requests.close(),
  }
}

const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300
/** A bucket that is not there is not an object that is not there. */
const isMissing = (answer: Answer): boolean => answer.status === 404 && codeOf(answer) === 'NoSuchKey'

const codeOf = ({ body }: Answer): string =>
  /<Code>(\w+)<\/Code>/.exec(body.toString('latin1', 0, 4096))?.[1] ?? ''

const refusedBy = (method: Method, answer: Answer): BodiesAway =>
  new BodiesAway(`${method} at the store of bodies: answered ${`${answer.status} ${codeOf(answer)}`.trim()}`)
