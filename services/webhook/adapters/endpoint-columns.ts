/** Endpoints as parameters of `unnest` in SQL: the ids of the projects, and the hosts. */
import type { Endpoint } from '../concurrency/breakers.ts'

export const columnsOf = (endpoints: readonly Endpoint[]): [projectIds: number[], hosts: string[]] => [
  endpoints.map(({ projectId }) => projectId),
  endpoints.map(({ host }) => host),
]
