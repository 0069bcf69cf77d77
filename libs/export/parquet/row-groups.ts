/**
 * Writes rows as a Parquet file. Memory holds one row group: at most 128k rows, and fewer if their values reach a
 * number of bytes.
 */
import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer'
import { type Column, elementsOf, type Value } from './columns.ts'

const limits = { rows: 128 * 1024, bytes: 4 * 1024 ** 2, page: 256 * 1024 }
const overhead = 8

export async function* parquetFile<Row>(
  columns: readonly Column<Row>[],
  rows: AsyncIterable<Row>,
  createdBy: string,
): AsyncGenerator<Buffer> {
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)],
    codec: 'ZSTD',
    compressors: { ZSTD: bytes => zstdCompressSync(bytes) },
    createdBy,
  })
  for await (const values of groupsOf(columns, rows)) {
    await file.write({
      columnData: columns.map(sourceOf(values)),
      rowGroupSize: limits.rows,
      pageSize: limits.page,
    })
    yield taken(writer)
  }
  await file.finish()
  yield taken(writer)
}

/** Yields the values of each row group by column. */
async function* groupsOf<Row>(
  columns: readonly Column<Row>[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<Value[][]> {
  let values: Value[][] = columns.map(() => [])
  let bytes = 0
  let count = 0
  for await (const row of rows) {
    for (const [n, column] of columns.entries()) {
      const value = column.value(row)
      values[n]?.push(value)
      bytes += overhead + bytesOf(value)
    }
    count += 1
    if (count < limits.rows && bytes < limits.bytes) continue
    yield values
    values = columns.map(() => [])
    bytes = 0
    count = 0
  }
  if (count > 0) yield values
}

function bytesOf(value: Value): number {
  if (value instanceof Float32Array) return value.byteLength
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0
}

/** Long texts and vectors have no dictionary and no statistics: comparing their values costs more than that saves. */
const sourceOf =
  (values: Value[][]) =>
  <Row>({ name, kind }: Column<Row>, n: number): ColumnSource => {
    const data = values[n] ?? []
    const plain = { encoding: 'PLAIN', statistics: false } as const
    if (kind === 'floats')
      return { name, data: data.map(value => (value instanceof Float32Array ? [...value] : null)), ...plain }
    return kind === 'long' ? { name, data, ...plain } : { name, data }
  }

/** Returns what was written since the last call, without copying it. Offsets in the file continue. */
function taken(writer: ByteWriter): Buffer {
  const written = Buffer.from(writer.buffer, 0, writer.index)
  writer.buffer = new ArrayBuffer(1024)
  writer.view = new DataView(writer.buffer)
  writer.index = 0
  return written
}
