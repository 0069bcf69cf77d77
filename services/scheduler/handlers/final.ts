/** Returns whether a refusal concerns the request itself (4xx). Other errors are outages, which end. */
import { Refusal } from '@tidemark/bus/refusal'

export const isFinal = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.status >= 400 && error.status < 500
