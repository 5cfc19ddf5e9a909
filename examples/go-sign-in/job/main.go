// Calls an API as a machine, step by step in docs/guides/go.md.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

// api is what the machine calls; put your own in its place.
const api = "http://localhost:9001/organization/api/organization/user/allDetails/userId/robot@example.com"

func main() {
	config := clientcredentials.Config{
		ClientID:     "my-go-job",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     "http://localhost:9000/oauth/token",
	}
	// It asks for a token, keeps it until it expires, and sends it with each request.
	answer, err := config.Client(context.Background()).Get(api)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}
