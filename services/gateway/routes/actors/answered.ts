/** The two forms of an actor's answer, as the API's description tells them. */
import { ActorStream } from '@tidemark/contracts/http/actor'
import type { TSchema } from 'typebox'

/** @param schema of the answer; what is sent was written by hand, and is not read against it */
export const answered = (schema: TSchema) => ({
  200: {
    'x-response-description':
      'The answer; as server-sent events what is done meanwhile, and then the answer.',
    content: {
      'application/json': { schema },
      'text/event-stream': { schema: ActorStream },
    },
  },
})
