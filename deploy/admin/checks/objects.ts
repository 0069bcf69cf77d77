/**
 * Checks that the bucket contains every body that is stored in S3, and no other object. The whole bucket is listed, 1,000
 * names a request, while services run. Names are used once, so an object whose row exists before and after the listing
 * existed meanwhile. An object that exists before and after the rows are read must have a row, because announced objects
 * and objects that are marked for deletion have rows too.
 */

import { readSettings } from '@tidemark/config/settings'
import type { Objects } from '@tidemark/content/objects'
import { openBucket } from '@tidemark/content/s3'
import { bucketConfig, ObjectStore } from '@tidemark/content/settings'
import { hasTable } from '../../postgres/has-table.ts'
import type { Client } from '../open-instance.ts'

export type ObjectFindings = {
  /** Continues the sentence with the number of bodies. Empty if all are in Postgres. */
  looked: string
  wrong: string[]
}

const listedAtOnce = 1_000
const maxRequested = 100

const held = 'select object as name from content.body where object is not null'
const all = `${held} union all select name from content.object`

/**
 * Checks the bucket of the environment.
 * @param before rows of the checked snapshot @param now the current database
 */
export async function checkObjects(
  before: Pick<Client, 'query'>,
  now: Pick<Client, 'query'>,
): Promise<ObjectFindings> {
  if (!(await hasTable(before, 'content.object'))) return { looked: '', wrong: [] }
  const heldBefore = await namesOf(before, held)
  const bucket = bucketConfig(readSettings(ObjectStore, process.env))
  if (bucket === null) {
    const looked =
      heldBefore.size > 0
        ? `, ${heldBefore.size} of them in S3, which were not checked: S3_ENDPOINT is not set`
        : ''
    return { looked, wrong: [] }
  }
  const objects = openBucket(bucket)
  try {
    const listed = await listedIn(objects)
    const heldNow = await namesOf(now, held)
    const known = await namesOf(now, all)
    const lost = [...heldBefore].filter(name => heldNow.has(name) && !listed.has(name))
    const strays = [...listed].filter(name => !known.has(name))
    const stillThere: string[] = []
    for (const name of strays.slice(0, maxRequested))
      if ((await objects.get(name)) !== null) stillThere.push(name)
    return {
      looked: `, ${heldBefore.size} of them in S3, with ${listed.size} objects`,
      wrong: [
        ...lost.map(name => `${name} is not in S3`),
        ...stillThere.map(name => `${name} in S3 belongs to no body`),
      ],
    }
  } finally {
    objects.close()
  }
}

async function namesOf(client: Pick<Client, 'query'>, text: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(text)
  return new Set(rows.map(({ name }) => name))
}

async function listedIn(objects: Objects): Promise<Set<string>> {
  const listed = new Set<string>()
  for (let after = ''; ; ) {
    const names = await objects.list(after, listedAtOnce)
    for (const name of names) listed.add(name)
    after = names.at(-1) ?? ''
    if (names.length === 0) return listed
  }
}
