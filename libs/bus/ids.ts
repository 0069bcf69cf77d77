/** Reads which run and which project a message is about, for logs and spans. */

/** A missing id, and one that is not a number, is left out. */
export type Ids = { run_id?: number; project_id?: number }

/** Returns the ids in a decoded message of any shape. */
export function idsIn(message: unknown): Ids {
  const { runId, projectId } = Object(message)
  return {
    ...(typeof runId === 'number' && { run_id: runId }),
    ...(typeof projectId === 'number' && { project_id: projectId }),
  }
}
