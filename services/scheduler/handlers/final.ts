/** Returns whether a refusal concerns the request itself (4xx). Other errors are outages, so a later attempt may succeed. */
import { Refusal } from '@tidemark/bus/refusal'

export const isFinal = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.status >= 400 && error.status < 500
