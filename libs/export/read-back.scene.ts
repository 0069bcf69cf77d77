/** Reads exports with third-party software: Python's zipfile, csv and expat, and unzip. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, parquetReadObjects } from 'hyparquet'
import type { ExportOptions, FormatName } from './format.ts'
import { formats } from './formats.ts'
import type { ExportSource } from './page.ts'

export const plainOptions: ExportOptions = {
  include: [],
  tables: ['pages', 'links'],
  embeddings: false,
  graph: 'gexf',
}

/** Writes an export, and returns its file. */
export async function exportFile(
  name: FormatName,
  source: ExportSource,
  options: Partial<ExportOptions> = {},
): Promise<Buffer> {
  return whole(formats[name].write(source, { ...plainOptions, ...options }))
}

async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const hasProgram = (name: string): boolean => spawnSync(name, ['-h']).error === undefined

/** For `skip` of a test: false if the programs are installed, otherwise the reason. */
export const withoutReaders: string | false =
  hasProgram('python3') && hasProgram('unzip') ? false : 'python3 or unzip is not installed'

function withFile<Result>(file: Buffer, use: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  try {
    const path = join(folder, 'file')
    writeFileSync(path, file)
    return use(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a program of Python with a file as its argument, and returns the JSON that it prints. */
function python<Result>(program: string, file: Buffer): Result {
  return withFile(file, path => {
    const run = spawnSync('python3', ['-c', program, path], { encoding: 'utf8', maxBuffer: 2 ** 30 })
    if (run.status !== 0) throw new Error(run.stderr)
    return JSON.parse(run.stdout) as Result
  })
}

/** Returns the files of a zip after unzip has checked them all. */
export function unzipped(file: Buffer): Map<string, Buffer> {
  withFile(file, path => {
    const check = spawnSync('unzip', ['-tqq', path], { encoding: 'utf8' })
    if (check.status !== 0) throw new Error(check.stdout + check.stderr)
  })
  const program = `import sys, json, zipfile, base64
z = zipfile.ZipFile(sys.argv[1])
assert not z.testzip()
print(json.dumps([[n, base64.b64encode(z.read(n)).decode()] for n in z.namelist()]))`
  const entries = python<[string, string][]>(program, file)
  return new Map(entries.map(([name, data]) => [name, Buffer.from(data, 'base64')]))
}

/** Returns the number of files in a zip, and the name and the content of the last file. */
export const lastInZip = (file: Buffer): [count: number, name: string, content: string] =>
  python(
    `import sys, json, zipfile
z = zipfile.ZipFile(sys.argv[1])
names = z.namelist()
print(json.dumps([len(names), names[-1], z.read(names[-1]).decode()]))`,
    file,
  )

/** An element of XML, with its local name. */
type Node = { name: string; attributes: Record<string, string>; text: string; children: Node[] }

export const parseXml = (file: Buffer): Node =>
  python(
    `import sys, json, xml.etree.ElementTree as E
name = lambda e: e.tag.split('}')[-1]
node = lambda e: {'name': name(e), 'attributes': e.attrib, 'text': e.text or '', 'children': [node(c) for c in e]}
print(json.dumps(node(E.parse(sys.argv[1]).getroot())))`,
    file,
  )

export const parseCsv = (file: Buffer): string[][] =>
  python(
    `import sys, json, csv
print(json.dumps(list(csv.reader(open(sys.argv[1], newline='', encoding='utf8')))))`,
    file,
  )

/** Returns every element with this name, in document order. */
export const allOf = (node: Node, name: string): Node[] => [
  ...(node.name === name ? [node] : []),
  ...node.children.flatMap(child => allOf(child, name)),
]

/** Returns a file as the reader of Parquet needs it. */
export const asyncBuffer = (file: Buffer): AsyncBuffer => ({
  byteLength: file.length,
  slice: (start, end) => new Uint8Array(file.subarray(start, end)).buffer,
})

/** Returns the rows of a Parquet file. */
export const rowsOf = (file: Buffer): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({
    file: asyncBuffer(file),
    compressors: { ZSTD: data => new Uint8Array(zstdDecompressSync(data)) },
  })
