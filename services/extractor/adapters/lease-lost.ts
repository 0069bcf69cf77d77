/** Thrown if another process holds the job, or the client has removed the job. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}
