export function RegisterPage() {
  return <main>RegisterPage</main>;
}
