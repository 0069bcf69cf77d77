/** Which refusals of a run are said of the request itself; the rest is an infrastructure that will be back. */
import { Refusal } from '@tidemark/bus/refusal'

export const isFinal = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.status >= 400 && error.status < 500
