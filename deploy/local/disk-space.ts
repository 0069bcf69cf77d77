/**
 * Checks the free disk space before the streams reserve a part of it. Otherwise they could fill the disk, and Postgres,
 * which shares it, would fail.
 */
import fs from 'node:fs'
import path from 'node:path'
import { bulky } from '@tidemark/contracts/subjects'
import { bulkySpec, minBytes, streamSpecs } from '../nats/streams.ts'
import { LaunchError } from './launch-error.ts'

const GB = 1024 ** 3
const minFreeBytes = 2 * GB
/** Share of the disk for streams. The rest is for Postgres and the logs. */
const shareOfStreams = 0.8
/** Share of the free space for streams that already exceed `shareOfStreams`, so that they can continue. */
const shareOfFree = 0.5

/** Disk space in bytes. `ofStreams` is the space that streams use, and `held` the size of each. */
export type DiskSpace = { free: number; ofStreams: number; held?: Record<string, number> }

/** Returns the free space of this folder's disk, and the space that its streams use. */
export function spaceIn(dir: string): DiskSpace {
  const { bavail, bsize } = fs.statfsSync(dir)
  const nats = path.join(dir, 'data', 'nats')
  return { free: bavail * bsize, ofStreams: sizeOf(nats), held: heldIn(nats) }
}

/**
 * Returns `STREAM_<NAME>_BYTES` for the streams that do not fit, none below its content; empty if all fit. Explicitly
 * set sizes do not change. Throws LaunchError DISK_SMALL if no useful size would fit.
 */
export function sizesThatFit(env: NodeJS.ProcessEnv, { free, ofStreams, held = {} }: DiskSpace) {
  const specs = [...streamSpecs(env), bulkySpec(env)].map(({ name, max_bytes }) => {
    const isSet = Boolean(env[`STREAM_${name}_BYTES`])
    const min = minBytes(held[name] ?? 0)
    return { name, isSet, min: isSet ? Math.max(max_bytes, held[name] ?? 0) : min, max: max_bytes }
  })
  const capacity = Math.max(shareOfStreams * (free + ofStreams), ofStreams + shareOfFree * free)
  const isEnough = free + ofStreams >= minFreeBytes
  if (isEnough && sum(specs.map(({ min, max }) => Math.max(min, max))) <= capacity) return {}

  const open = specs.filter(({ isSet }) => !isSet)
  const left = capacity - sum(specs.map(({ min }) => min))
  if (!isEnough || left <= 0) {
    const set = open.length < specs.length ? ', or smaller streams by STREAM_<NAME>_BYTES' : ''
    throw new LaunchError(
      'DISK_SMALL',
      `${inGB(free)} are free for the data folder and ${inGB(minFreeBytes)} are needed: free space, or set TIDEMARK_DIR to a folder on another disk${set}`,
    )
  }
  const wanted = ({ min, max }: Size) => Math.max(0, max - min)
  const share = Math.min(1, left / sum(open.map(wanted)))
  return Object.fromEntries(
    open.map(size => [`STREAM_${size.name}_BYTES`, String(size.min + Math.floor(share * wanted(size)))]),
  )
}

type Size = { min: number; max: number }

const sum = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0)

export const inGB = (bytes: number): string => `${(bytes / GB).toFixed(1)} GB`

function sizeOf(dir: string): number {
  const files = fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true, withFileTypes: true }) : []
  return files
    .filter(file => file.isFile())
    .reduce((sum, { parentPath, name }) => {
      return sum + (fs.statSync(path.join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0)
    }, 0)
}

/** Returns bytes by stream. The server stores each stream in a folder of its name, below its account. */
function heldIn(nats: string): Record<string, number> {
  const root = path.join(nats, 'jetstream')
  const accounts = fs.existsSync(root) ? fs.readdirSync(root) : []
  const folders = accounts
    .map(account => path.join(root, account, 'streams'))
    .filter(folder => fs.existsSync(folder))
    .flatMap(folder => fs.readdirSync(folder).map(stream => path.join(folder, stream)))
  return Object.fromEntries(
    folders.map(folder => [
      path.basename(folder) === `OBJ_${bulky}` ? bulky : path.basename(folder),
      sizeOf(folder),
    ]),
  )
}
