/**
 * The disk is asked before the streams promise themselves a part of it: they would fill it to the last byte, and
 * Postgres, which shares it, does not survive that.
 */
import fs from 'node:fs'
import path from 'node:path'
import { bulkySpec, streamSpecs } from '../nats/streams.ts'
import { LaunchError } from './launch-error.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3
const leastRoom = 2 * GB
/** The rest is for Postgres and the logs. */
const shareOfStreams = 0.8
/** Each must hold a few messages of the largest size. */
const leastStream = 32 * MB

export type Room = { free: number; ofStreams: number }

/** What is free where this folder lies, and what the streams in it have of the disk already, in bytes. */
export function roomIn(dir: string): Room {
  const { bavail, bsize } = fs.statfsSync(dir)
  return { free: bavail * bsize, ofStreams: sizeOf(path.join(dir, 'data', 'nats')) }
}

/**
 * Sizes for the streams whose own ones do not fit (`STREAM_<NAME>_BYTES`); those that somebody has set stay as they
 * are. Empty where all fit. Throws LaunchError DISK_SMALL where nothing sensible would.
 */
export function sizesThatFit(env: NodeJS.ProcessEnv, { free, ofStreams }: Room): Record<string, string> {
  const specs = [...streamSpecs(env), bulkySpec(env)]
  const isSet = (name: string) => Boolean(env[`STREAM_${name}_BYTES`])
  const sum = (some: typeof specs) => some.reduce((sum, { max_bytes }) => sum + max_bytes, 0)
  const room = shareOfStreams * (free + ofStreams)
  if (free + ofStreams >= leastRoom && sum(specs) <= room) return {}

  const open = specs.filter(({ name }) => !isSet(name))
  const share = (room - sum(specs.filter(({ name }) => isSet(name)))) / sum(open)
  const sizes = open.map(({ name, max_bytes }) => ({
    name,
    bytes: Math.max(leastStream, Math.floor(max_bytes * share)),
  }))
  const fits = sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= room
  if (free + ofStreams < leastRoom || share <= 0 || !fits) {
    const set = open.length < specs.length ? ', or smaller streams by STREAM_<NAME>_BYTES' : ''
    throw new LaunchError(
      'DISK_SMALL',
      `${inGB(free)} are free for the data folder and ${inGB(leastRoom)} are needed: make room, or set TIDEMARK_DIR to a folder on another disk${set}`,
    )
  }
  return Object.fromEntries(sizes.map(({ name, bytes }) => [`STREAM_${name}_BYTES`, String(bytes)]))
}

export const inGB = (bytes: number): string => `${(bytes / GB).toFixed(1)} GB`

function sizeOf(dir: string): number {
  const files = fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true, withFileTypes: true }) : []
  return files
    .filter(file => file.isFile())
    .reduce((sum, { parentPath, name }) => {
      return sum + (fs.statSync(path.join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0)
    }, 0)
}
