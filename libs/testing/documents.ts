/** How many documents of its own making a property is tried on: as many as are usual in every run, or DOCUMENTS. */

const wanted = process.env.DOCUMENTS

export const documents = (usual: number): number => (wanted === undefined ? usual : Number(wanted))
