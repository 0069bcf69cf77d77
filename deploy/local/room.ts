/**
 * Checks the disk before the streams reserve a part of it: they would fill it to the last byte, and Postgres, which
 * shares it, does not survive that.
 */
import fs from 'node:fs'
import path from 'node:path'
import { bulky } from '@tidemark/contracts/subjects'
import { bulkySpec, minBytes, streamSpecs } from '../nats/streams.ts'
import { LaunchError } from './launch-error.ts'

const GB = 1024 ** 3
const minRoom = 2 * GB
/** The rest is for Postgres and the logs. */
const shareOfStreams = 0.8
/** Of the free space, if the streams exceed their share already: they must be able to continue. */
const shareOfFree = 0.5

/** `ofStreams` is their space on the disk; `held` the content of each. In bytes. */
export type Room = { free: number; ofStreams: number; held?: Record<string, number> }

/** The free space of this folder's disk, and the space that its streams use already. */
export function roomIn(dir: string): Room {
  const { bavail, bsize } = fs.statfsSync(dir)
  const nats = path.join(dir, 'data', 'nats')
  return { free: bavail * bsize, ofStreams: sizeOf(nats), held: heldIn(nats) }
}

/**
 * Sizes for the streams whose own ones do not fit (`STREAM_<NAME>_BYTES`), none of them below its content. Explicitly
 * set streams stay as they are. Empty if all fit. Throws LaunchError DISK_SMALL if no useful size would fit.
 */
export function sizesThatFit(env: NodeJS.ProcessEnv, { free, ofStreams, held = {} }: Room) {
  const specs = [...streamSpecs(env), bulkySpec(env)].map(({ name, max_bytes }) => {
    const isSet = Boolean(env[`STREAM_${name}_BYTES`])
    const least = minBytes(held[name] ?? 0)
    return { name, isSet, least: isSet ? Math.max(max_bytes, held[name] ?? 0) : least, most: max_bytes }
  })
  const room = Math.max(shareOfStreams * (free + ofStreams), ofStreams + shareOfFree * free)
  const isEnough = free + ofStreams >= minRoom
  if (isEnough && sum(specs.map(({ least, most }) => Math.max(least, most))) <= room) return {}

  const open = specs.filter(({ isSet }) => !isSet)
  const left = room - sum(specs.map(({ least }) => least))
  if (!isEnough || left <= 0) {
    const set = open.length < specs.length ? ', or smaller streams by STREAM_<NAME>_BYTES' : ''
    throw new LaunchError(
      'DISK_SMALL',
      `${inGB(free)} are free for the data folder and ${inGB(minRoom)} are needed: free space, or set TIDEMARK_DIR to a folder on another disk${set}`,
    )
  }
  const wanted = ({ least, most }: Size) => Math.max(0, most - least)
  const share = Math.min(1, left / sum(open.map(wanted)))
  return Object.fromEntries(
    open.map(size => [`STREAM_${size.name}_BYTES`, String(size.least + Math.floor(share * wanted(size)))]),
  )
}

type Size = { least: number; most: number }

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

/** By stream; the server keeps each in a folder of its name, for any account. */
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
