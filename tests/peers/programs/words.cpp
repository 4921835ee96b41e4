// words TEXT ROUNDS - ROUNDS times, counts the words of a text in a hash table of strings, sorts them by count, and
// looks up pairs of neighbours in a tree. For measuring what a tool costs a C++ program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

static std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> words;
    std::string word;
    for (char c : text) {
        if (c != ' ' && c != '\n') {
            word.push_back(c);
        } else if (!word.empty()) {
            words.push_back(word);
            word.clear();
        }
    }
    return words;
}

static unsigned long count(const std::string &text)
{
    std::vector<std::string> words = split(text);
    std::unordered_map<std::string, unsigned> counts;
    std::map<std::pair<std::string, std::string>, unsigned> neighbours;
    for (std::size_t i = 0; i < words.size(); i++) {
        counts[words[i]]++;
        if (i % 4 == 1)
            neighbours[{words[i - 1], words[i]}]++;
    }
    std::vector<std::pair<std::string, unsigned>> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    unsigned long sum = neighbours.size();
    for (std::size_t i = 0; i < sorted.size(); i++)
        sum += sorted[i].second * (i % 7) + sorted[i].first.size();
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    std::ifstream file(argv[1]);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    unsigned long sum = 0;
    for (long i = std::atol(argv[2]); i > 0; i--)
        sum = sum * 31 + count(text);
    std::printf("words: checksum %lx\n", sum);
    return text.empty() ? 1 : 0;
}
