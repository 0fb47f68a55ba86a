export async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.log(`${name}: done after ${Math.round((performance.now() - began) / 1_000)} s`);
  return result;
}
