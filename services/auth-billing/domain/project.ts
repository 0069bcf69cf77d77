/** Creates the events of a new project. It has its first key from the start, so that it can be used. */
import type { AccountEvent } from '@tidemark/contracts/account'
import type { Tier, Timestamp } from '@tidemark/contracts/primitives'
import type { StoredKey } from './key.ts'

export type CreateProject = {
  projectId: number
  name: string
  tier: Tier
  unlimited: boolean
  at: Timestamp
  key: StoredKey
}

export function createProject({ key, at, ...project }: CreateProject): AccountEvent[] {
  const { projectId } = project
  return [
    { type: 'ProjectCreated', data: project },
    { type: 'KeyCreated', data: { projectId, ...key, createdAt: at, expiresAt: null } },
  ]
}
