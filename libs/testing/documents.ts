/** Number of generated documents for a property test: the usual number, or DOCUMENTS. */

const wanted = process.env.DOCUMENTS

export const documents = (usual: number): number => (wanted === undefined ? usual : Number(wanted))
